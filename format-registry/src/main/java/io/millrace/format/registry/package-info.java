/**
 * Schema registries, in which writers store the schemas of their messages and readers find them:
 * {@link io.millrace.format.registry.SchemaRegistry} says where one is. The formats of Avro and
 * Protobuf use it and bring this module.
 */
package io.millrace.format.registry;
