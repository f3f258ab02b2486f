/**
 * Plugins: extensions that are not built with the engine. {@link io.millrace.core.plugin.Plugins}
 * loads the jars of each plugin in its own class loader and finds the services in them. {@link
 * io.millrace.core.plugin.ClassPathServices} finds the services on the engine's class path. The
 * packages that use a service define its interface.
 */
package io.millrace.core.plugin;
