/**
 * Plugins for tests. They are compiled at run time, so that their classes are not on the class path
 * of the tests.
 */
package io.millrace.core.testplugin;
