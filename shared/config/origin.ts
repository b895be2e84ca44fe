// Problems that come up once a configuration is loaded, such as a file that a setting names and that cannot be used, say
// where the setting came from, as those do that loading finds.

import { ConfigError, type Problem } from './config-error.js';
import { variableOf } from './environment.js';

/**
 * Does what finds such problems.
 *
 * @throws what it throws; a ConfigError with the variables that the settings came from
 */
export async function tellingVariables<T>(env: NodeJS.ProcessEnv, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof ConfigError ? withVariables(error, env) : error;
  }
}

function withVariables(error: ConfigError, env: NodeJS.ProcessEnv): ConfigError {
  const problems = error.problems.map((problem) => withVariable(problem, env));
  const isSame = problems.every((problem, index) => problem === error.problems[index]);
  return isSame ? error : new ConfigError(error.source, problems, { cause: error });
}

function withVariable(problem: Problem, env: NodeJS.ProcessEnv): Problem {
  const { path, message } = problem;
  const variable = variableOf(path.replace(/\[.*$/s, ''));
  const isFromThere = (env[variable] ?? '').trim() !== '' && !message.endsWith(`(from ${variable})`);
  return isFromThere ? { path, message: `${message} (from ${variable})` } : problem;
}
