package io.statestore.broker.standalone;

import java.io.PrintWriter;
import java.nio.file.Path;

import io.statestore.broker.log.CheckReport;
import io.statestore.broker.log.StoreDirectory;
import picocli.CommandLine.Command;

/** Command that verifies the files of a store. */
@Command(name = "check",
		description = "Verifies log and snapshots of a store. Changes nothing, and works while the store is in use.",
		exitCodeList = { "0:the store is intact", "1:the store is damaged", "2:invalid option",
				"3:the directory cannot be checked" })
final class CheckCommand extends StoreCommand {

	private static final int NOT_CHECKED = 3;

	@Override
	int run(Path directory) {
		CheckReport report = StoreDirectory.check(directory);
		PrintWriter output = output();
		output.println("Directory: " + report.directory());
		if (report.storeId() != null) {
			output.println("Store: " + report.storeId() + ", created " + report.created());
		}
		if (report.snapshotIndex() > 0) {
			output.println(
					"Snapshot: entries up to " + report.snapshotIndex() + ", " + report.snapshotBytes() + " bytes");
		}
		output.println("Log: last entry " + report.lastIndex() + ", " + report.batches()
				+ " batches after the snapshot, " + report.segments() + " segments");
		if (report.tornFile() != null) {
			output.println("Incomplete write: " + report.tornBytes() + " bytes at position " + report.tornPosition()
					+ " of " + report.tornFile()
					+ ". Normal after a crash, or while the store is in use. The next start removes it");
		}
		if (report.discardedBatches() > 0) {
			output.println("Batches behind the incomplete write: " + report.discardedBatches()
					+ ". They cannot be applied without it. Normal after a power failure with fsync=interval or never. "
					+ "The next start moves them to files '*.discarded' in " + report.directory().resolve("log"));
		}
		report.problems().forEach((problem) -> output.println("Damage: " + problem));
		output.println(report.isIntact() ? "The store is intact" : "The store is damaged and does not start");
		return report.isIntact() ? 0 : FAILED;
	}

	@Override
	int fail(String message) {
		super.fail(message);
		return NOT_CHECKED;
	}

}
