/**
 * Serialisation of records by the program. A program registers a {@link
 * io.millrace.api.serialization.Serializer} at its environment. Most programs need none.
 */
package io.millrace.api.serialization;
