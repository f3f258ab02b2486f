/**
 * Plugins: jars that are added to the engine without being built with it. {@link
 * io.millrace.core.plugin.Plugins} loads the jars of each plugin in their own class loader and
 * finds the services in them; {@link io.millrace.core.plugin.ClassPathServices} finds services on
 * the class path of the engine. The packages that use services declare them.
 */
package io.millrace.core.plugin;
