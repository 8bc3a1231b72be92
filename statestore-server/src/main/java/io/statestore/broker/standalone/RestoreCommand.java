package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;

import io.statestore.broker.log.BackupFile;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.cluster.NodeRestore;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that creates a store from a backup. */
@Command(name = "restore",
		description = "Creates a store from a backup, in a directory that is empty or does not exist. New versions are "
				+ "higher than those in the backup. Accepts backups of stores and of cluster nodes.",
		exitCodeList = { "1:the restore failed", "2:invalid option" })
final class RestoreCommand extends StoreCommand {

	@Option(names = "--from", paramLabel = "<file>", required = true,
			description = "Backup file, written by 'statestore backup'")
	@SuppressWarnings("NullAway.Init")
	private Path from;

	@Option(names = "--versions-after", paramLabel = "<version>",
			description = "Version that all new versions exceed, such as the latest version that a client has seen "
					+ "(default: the system clock)")
	private @Nullable String versionsAfter;

	@Option(names = "--new-cluster",
			description = "Prepare a node's directory for a new cluster. Restore the same file for each node before "
					+ "you start the nodes with --new-cluster")
	private boolean newCluster;

	@Override
	int run(Path directory) throws IOException {
		Version minimum = version(this.versionsAfter);
		if (this.newCluster) {
			long keys = NodeRestore.run(absolute(this.from), directory, minimum);
			output().println(
					keys + " keys restored to " + directory + " for a node of a new cluster. Restore the same file "
							+ ((minimum != null) ? "with the same --versions-after " : "")
							+ "for each of its nodes, then start them with --new-cluster");
			return 0;
		}
		BackupFile backup = StoreDirectory.restore(absolute(this.from), directory, minimum);
		output().println("Store as of " + backup.time().truncatedTo(ChronoUnit.SECONDS) + " restored to " + directory
				+ ". Start the broker with --data-directory " + directory);
		return 0;
	}

	private static @Nullable Version version(@Nullable String text) {
		try {
			return (text != null) ? Version.parse(text) : null;
		}
		catch (ProtocolException ex) {
			throw new IllegalArgumentException(
					"Invalid --versions-after: '" + text
							+ "' is not a version; use one as the store returns it, such as 1700000000000:0:StateStore",
					ex);
		}
	}

}
