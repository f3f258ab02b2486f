/**
 * How a program writes records of its own classes: {@link
 * io.millrace.api.serialization.Serializer}, registered at the {@link
 * io.millrace.api.StreamEnvironment}. Most programs need none.
 */
package io.millrace.api.serialization;
