// What the sequence knows of a node after GetInventory.

/** For how many intervals an inventory serves (design, section 6). */
export const inventoryServesIntervals = 2;

export interface Inventory {
  readonly version: string;
  readonly upgradable: boolean;
  readonly agents: readonly string[];
  readonly classes: readonly string[];
  readonly collectives: readonly string[];
  readonly mainCollective: string;
  readonly dataPlugins: readonly string[];
  /** JSON text, passed on as it came so that large integers and key order survive. */
  readonly machinesJson: string;
  /** JSON text, passed on as it came. */
  readonly factsJson: string;
}
