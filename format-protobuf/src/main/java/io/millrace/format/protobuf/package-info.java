/**
 * Protocol Buffers: {@link io.millrace.format.protobuf.ProtobufFormat} for messages of connectors,
 * {@link io.millrace.format.protobuf.RegistryProtobufFormat} for messages whose schemas are in a
 * schema registry, {@link io.millrace.format.protobuf.ProtobufSerializer} for messages that travel
 * between tasks. The engine does not have this module; a program packs it into its jar together
 * with Protobuf.
 */
package io.millrace.format.protobuf;
