/**
 * Tests of programs. {@link io.millrace.test.StreamHarness} and {@link
 * io.millrace.test.TwoInputHarness} run a part of a program step by step on a clock that the test
 * moves; {@link io.millrace.test.TestCluster} runs whole programs on TaskManagers that a test can
 * kill. All of them run the operators and tasks of the engine.
 */
package io.millrace.test;
