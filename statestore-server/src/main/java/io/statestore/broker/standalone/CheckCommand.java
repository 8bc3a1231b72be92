package io.statestore.broker.standalone;

import java.io.PrintWriter;
import java.nio.file.Path;

import io.statestore.broker.log.CheckReport;
import io.statestore.broker.log.StoreDirectory;
import picocli.CommandLine.Command;

/** Command that verifies a store's files. */
@Command(name = "check",
		description = "Verifies a store's log and snapshots. Changes nothing and works while the store is in use.",
		exitCodeList = { "0:the store is intact", "1:the store is damaged", "2:invalid option",
				"3:the directory cannot be checked" })
final class CheckCommand extends StoreCommand {

	private static final int NOT_CHECKED = 3;

	@Override
	int run(Path directory) {
		CheckReport report = StoreDirectory.check(directory);
		PrintWriter output = output();
		output.println("Directory: " + report.directory());
		if (report.isIntact()) {
			output.println("Log: last entry " + report.lastIndex());
		}
		if (report.problem() != null) {
			output.println("Damage: " + report.problem());
		}
		output.println(report.isIntact() ? "The store is intact" : "The store is damaged and does not start");
		return report.isIntact() ? 0 : FAILED;
	}

	@Override
	int fail(String message) {
		super.fail(message);
		return NOT_CHECKED;
	}

}
