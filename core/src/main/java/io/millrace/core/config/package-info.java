/**
 * Configuration: an immutable map of strings ({@link io.millrace.core.config.Configuration}) read
 * through typed declarations ({@link io.millrace.core.config.Option}). All options of the engine
 * stand in {@link io.millrace.core.config.Options}, each with its default and a sentence; the
 * option reference is generated from there. Keys are Flink's where the meaning is the same.
 */
package io.millrace.core.config;
