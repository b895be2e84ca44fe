// What an agent refuses of a configuration, told before one is asked (design, section 3: ARGUMENT_INVALID and
// PROVISIONING_ENABLED). An agent may refuse more: only it knows its own folders and keys.

import type { HelperReply } from '../../helper/helper.js';

const provisionKey = 'plugin.choria.server.provision';
const truths = new Set(['1', 'true', 'yes', 'y', 'on', 't']);

/**
 * @param provisioningByDefault whether the node is in provisioning mode unless its configuration says otherwise
 * @returns sentences for people, each beginning with the path of a key
 */
export function refusedByAgents(
  { configuration, actionPolicies, opaPolicies }: HelperReply,
  provisioningByDefault: boolean,
): string[] {
  return [
    ...[...configuration].flatMap(([key, value]) => {
      const problem = settingProblem(key, value);
      return problem === undefined ? [] : [`configuration: ${quote(key)} ${problem}, and agents refuse that`];
    }),
    ...policyProblems('action_policies', actionPolicies, '.policy'),
    ...policyProblems('opa_policies', opaPolicies, '.rego'),
    ...provisioningProblems(configuration, provisioningByDefault),
  ];
}

function settingProblem(key: string, value: string): string | undefined {
  if (/[\r\n]/.test(key) || /[\r\n]/.test(value)) return 'holds a line break';
  return /^[^=#\s](?:[^=]*[^=\s])?$/.test(key) ? undefined : 'is no key of a settings file';
}

function policyProblems(path: string, policies: ReadonlyMap<string, string>, suffix: string): string[] {
  return [...policies.keys()].flatMap((name) => {
    const fits = name.endsWith(suffix) && name.length > suffix.length && !/[/\\]/.test(name);
    if (fits) return [];
    return [`${path}: ${quote(name)} is no file name that ends in ${suffix}, and agents refuse that`];
  });
}

function provisioningProblems(
  configuration: ReadonlyMap<string, string>,
  provisioningByDefault: boolean,
): string[] {
  if (configuration.size === 0) return [];
  const said = configuration.get(provisionKey);
  const enables = said === undefined ? provisioningByDefault : truths.has(said.toLowerCase());
  if (!enables) return [];
  const why =
    said === undefined
      ? 'is not there, and the node’s token leaves provisioning on'
      : 'leaves provisioning on';
  return [`configuration.${provisionKey}: ${why}: the node would refuse to restart (PROVISIONING_ENABLED)`];
}

function quote(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
