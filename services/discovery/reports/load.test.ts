import { expect, test } from 'vitest';
import { Load } from './load.js';

function setUp() {
  const state = { busyMs: 0 };
  const load = new Load(() => state.busyMs);
  const second = (answered: number, busyness: number, turnedAway = 0) => {
    for (let index = 0; index < answered; index++) load.answered();
    for (let index = 0; index < turnedAway; index++) load.turnedAway();
    state.busyMs = busyness * 1000;
    load.tick();
  };
  return { load, second };
}

test('no bound is known before there was something to do', () => {
  const { load, second } = setUp();
  second(5, 0.9);
  second(500, 0.1);
  expect(load.perSecond).toBe(Number.POSITIVE_INFINITY);
  expect(load.crowding).toBe(1);
});

test('asks for seven tenths of what would keep the process busy', () => {
  const { load, second } = setUp();
  second(200, 0.5);
  expect(load.perSecond).toBeCloseTo(280);
  for (let passed = 0; passed < 60; passed++) second(100, 1);
  expect(load.perSecond).toBeCloseTo(70, 0);
});

test('a quiet time changes nothing of it', () => {
  const { load, second } = setUp();
  second(200, 0.5);
  for (let passed = 0; passed < 60; passed++) second(0, 0.01);
  expect(load.perSecond).toBeCloseTo(280);
});

test('a slow start is forgotten, also where few are asked for since', () => {
  const { load, second } = setUp();
  second(10, 1);
  expect(load.perSecond).toBeCloseTo(35);
  for (let passed = 0; passed < 30; passed++) second(7, 0.02);
  expect(load.perSecond).toBeGreaterThan(200);
});

test('a process that is busy with other things than reports is not taken for one that takes few', () => {
  const { load, second } = setUp();
  second(200, 0.5);
  for (let passed = 0; passed < 60; passed++) second(5, 1);
  expect(load.perSecond).toBeCloseTo(280);
});

test('a look that comes late is one at a longer time', () => {
  const { load, second } = setUp();
  second(600, 3);
  expect(load.perSecond).toBeCloseTo(140);
});

test('however long it is busy with other things, nodes are not told to stay away for hours', () => {
  const { load, second } = setUp();
  second(200, 0.5);
  for (let passed = 0; passed < 600; passed++) second(10, 1);
  expect(load.perSecond).toBeCloseTo(35);
});

test('says how many come for each that is answered, for as long as it is so', () => {
  const { load, second } = setUp();
  load.turnedAway();
  expect(load.crowding).toBeCloseTo(1.1);
  second(100, 1, 299);
  expect(load.crowding).toBeCloseTo(4);
  second(0, 1, 3000);
  expect(load.crowding).toBeCloseTo(12);
  second(100, 0.5);
  expect(load.crowding).toBeGreaterThan(9);
  for (let passed = 0; passed < 60; passed++) second(100, 0.5);
  expect(load.crowding).toBeCloseTo(1, 1);
});

test('is crowded for as long as those that were sent away may take to come again', () => {
  const { load, second } = setUp();
  second(10, 0.5);
  expect(load.crowded).toBe(false);
  second(10, 1, 1);
  for (let passed = 0; passed < 60; passed++) second(10, 0.5);
  expect(load.crowded).toBe(true);
  second(10, 0.5);
  expect(load.crowded).toBe(false);
});

test('is crowded for no more than half an hour in a row, and anew once it was calm', () => {
  const { load, second } = setUp();
  for (let passed = 0; passed < 1800; passed++) second(10, 1, 1);
  expect(load.crowded).toBe(true);
  for (let passed = 0; passed < 600; passed++) {
    second(10, 1, 1);
    expect(load.crowded).toBe(false);
  }
  for (let passed = 0; passed < 61; passed++) second(10, 0.5);
  expect(load.crowded).toBe(false);
  second(10, 1, 1);
  expect(load.crowded).toBe(true);
});
