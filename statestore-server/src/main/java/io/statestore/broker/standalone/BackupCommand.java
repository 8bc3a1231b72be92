package io.statestore.broker.standalone;

import java.io.PrintWriter;
import java.nio.file.Path;

import io.statestore.broker.log.BackupReport;
import io.statestore.broker.log.StoreDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that copies a store into a file. */
@Command(name = "backup", mixinStandardHelpOptions = true, sortOptions = false, usageHelpAutoWidth = true,
		versionProvider = StandaloneVersion.class,
		description = "Copies a store to a file, even while the store is in use. Includes every write acknowledged "
				+ "before the start of the command, but no MQTT sessions.",
		exitCodeListHeading = "%nExit codes:%n", exitCodeList = { "1:the backup failed", "2:invalid option" })
final class BackupCommand extends StoreCommand {

	@Option(names = "--to", paramLabel = "<file>", required = true,
			description = "ZIP file to create. It must not exist")
	@SuppressWarnings("NullAway.Init")
	private Path to;

	private BackupCommand() {
		super(1);
	}

	@Override
	int run(Path directory, PrintWriter output) {
		BackupReport report = StoreDirectory.backup(directory, absolute(this.to));
		output.println("Backup of store " + report.storeId() + " up to entry " + report.lastIndex() + " written to "
				+ report.file() + " (" + report.bytes() + " bytes)");
		return 0;
	}

}
