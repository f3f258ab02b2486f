/**
 * Formats of records outside of Millrace. A {@link io.millrace.api.format.DeserializationSchema}
 * parses the bytes of one message, a {@link io.millrace.api.format.SerializationSchema} writes
 * them. Connectors take either. {@link io.millrace.api.format.StringFormat} and {@link
 * io.millrace.api.format.BytesFormat} need no library; formats that need one are modules of their
 * own. How records travel between TaskManagers and lie in state is another matter, see {@link
 * io.millrace.api.serialization.Serializer}.
 */
package io.millrace.api.format;
