import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Runs a statement and prints its rows, with tabs between columns: URL PASSWORD-FILE STATEMENT. */
final class Sql {
  private Sql() {}

  public static void main(String[] args) throws Exception {
    String password = Files.readAllLines(Path.of(args[1])).get(0);
    try (Connection connection = DriverManager.getConnection(args[0], "postgres", password);
        Statement statement = connection.createStatement()) {
      if (!statement.execute(args[2])) {
        return;
      }
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          List<String> columns = new ArrayList<>();
          for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            columns.add(String.valueOf(rows.getString(i)));
          }
          System.out.println(String.join("\t", columns));
        }
      }
    } catch (SQLException e) {
      System.err.println("tools/postgres: " + e.getMessage());
      System.exit(1);
    }
  }
}
