package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.statestore.broker.log.BackupReport;
import io.statestore.broker.log.LogException;
import io.statestore.broker.log.StoreDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that copies a store into a file. */
@Command(name = "backup", mixinStandardHelpOptions = true, sortOptions = false, usageHelpAutoWidth = true,
		versionProvider = StandaloneVersion.class,
		description = "Copies a store to a file, even while the store is in use. Includes every write acknowledged "
				+ "before the start of the command, but no MQTT sessions.",
		exitCodeListHeading = "%nExit codes:%n", exitCodeList = { "1:the backup failed", "2:invalid option" })
final class BackupCommand implements Callable<Integer> {

	private static final int FAILED = 1;

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Option(names = "--data", paramLabel = "<directory>", required = true, description = "Directory of the store")
	@SuppressWarnings("NullAway.Init")
	private Path data;

	@Option(names = "--to", paramLabel = "<file>", required = true,
			description = "ZIP file to create. It must not exist")
	@SuppressWarnings("NullAway.Init")
	private Path to;

	private BackupCommand() {
	}

	@Override
	public Integer call() {
		try {
			BackupReport report = StoreDirectory.backup(this.data.toAbsolutePath().normalize(),
					this.to.toAbsolutePath().normalize());
			this.spec.commandLine()
				.getOut()
				.println("Backup of store " + report.storeId() + " up to entry " + report.lastIndex() + " written to "
						+ report.file() + " (" + report.bytes() + " bytes)");
			return 0;
		}
		catch (LogException ex) {
			this.spec.commandLine().getErr().println(ex.getMessage());
			return FAILED;
		}
	}

}
