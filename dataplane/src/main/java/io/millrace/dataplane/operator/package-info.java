/**
 * The operators of a chain. {@link io.millrace.dataplane.operator.Operators} creates the operator
 * for each {@code OperatorSpec}; {@link io.millrace.dataplane.operator.StreamOperator} is the base
 * class, also of the operators in {@code window} and the writers in {@code exchange}. {@link
 * io.millrace.dataplane.operator.TaskEnvironment} is the task as operators see it.
 *
 * <p>An operator runs in the step of its task and calls the next operator directly. It catches
 * exceptions of user code and gives them to its {@link
 * io.millrace.dataplane.operator.OperatorContext}, which records the failure. At a checkpoint it
 * hands over its state without a copy, and it hears later whether the checkpoint is durable.
 */
package io.millrace.dataplane.operator;
