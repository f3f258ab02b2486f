/**
 * Operators as values. Each call on a stream becomes one {@link
 * io.millrace.api.operator.OperatorSpec}. Programs do not use this package directly.
 */
package io.millrace.api.operator;
