/** English for what the protocol carries as values. */
package io.millrace.protocol.text;
