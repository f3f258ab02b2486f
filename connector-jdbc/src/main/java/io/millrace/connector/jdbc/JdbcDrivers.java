package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds the driver of a database among the classes of the program. {@link DriverManager} finds only
 * drivers on the class path of the process, and keeps the class loaders of those that programs
 * bring. A data source of a driver nevertheless connects through it, so that a driver is registered
 * there as long as that takes.
 */
final class JdbcDrivers {
  /** How many connections are being opened through {@link DriverManager}, by driver. */
  private static final Map<Class<?>, Integer> OPENING = new HashMap<>();

  private JdbcDrivers() {}

  /** Opens a connection of a data source, which looks for its driver in {@link DriverManager}. */
  static <R> R registered(JdbcDatabase database, SqlRetry.SqlCall<R> open)
      throws SQLException, InterruptedException {
    Driver driver = find(database);
    synchronized (OPENING) {
      if (OPENING.merge(driver.getClass(), 1, Integer::sum) == 1) {
        DriverManager.registerDriver(driver);
      }
    }
    try {
      return open.call();
    } finally {
      synchronized (OPENING) {
        OPENING.computeIfPresent(driver.getClass(), (type, count) -> count == 1 ? null : count - 1);
        forget(driver);
      }
    }
  }

  static Driver find(JdbcDatabase database) throws SQLException {
    Driver driver =
        database.driver().isPresent()
            ? create(database, database.driver().get())
            : search(database);
    synchronized (OPENING) {
      forget(driver);
    }
    return driver;
  }

  /** The loader of the program. */
  static ClassLoader loader() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context != null ? context : JdbcDrivers.class.getClassLoader();
  }

  private static Driver search(JdbcDatabase database) throws SQLException {
    List<String> others = new ArrayList<>();
    Iterator<Driver> drivers = ServiceLoader.load(Driver.class, loader()).iterator();
    while (true) {
      try {
        Driver driver = drivers.next();
        if (driver.acceptsURL(database.url())) {
          return driver;
        }
        others.add(driver.getClass().getName());
      } catch (NoSuchElementException e) {
        throw new MillraceException(
            ErrorKind.USER,
            "No JDBC driver for "
                + database
                + " was found"
                + (others.isEmpty() ? "" : ", only " + String.join(", ", others))
                + ". Pack the driver into the jar of the program, as a jar below lib/ or unpacked"
                + " with its file META-INF/services/java.sql.Driver, or add it to the class path of"
                + " all processes (directory lib of the distribution).",
            e);
      } catch (ServiceConfigurationError e) {
        // Another driver, which may need what is not there.
        others.add(String.valueOf(e.getMessage()));
      }
    }
  }

  private static Driver create(JdbcDatabase database, String className) {
    try {
      return Class.forName(className, true, loader())
          .asSubclass(Driver.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ClassNotFoundException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The JDBC driver "
              + className
              + " of "
              + database
              + " was not found. Pack it into the jar of the program, as a jar below lib/, or add"
              + " it to the class path of all processes.",
          e);
    } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The JDBC driver " + className + " of " + database + " cannot be used: " + e,
          e);
    }
  }

  /**
   * Removes a driver of the program from the list of all drivers, which would keep the classes of
   * the program after the end of the job.
   */
  private static void forget(Driver driver) throws SQLException {
    if (driver.getClass().getClassLoader() == ClassLoader.getSystemClassLoader()
        || OPENING.containsKey(driver.getClass())) {
      return;
    }
    for (Driver registered : DriverManager.drivers().toList()) {
      if (registered.getClass() == driver.getClass()) {
        DriverManager.deregisterDriver(registered);
      }
    }
  }
}
