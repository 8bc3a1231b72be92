package io.statestore.cli;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;

import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command {@code statestore backup}: copies a store to a file. */
@Command(name = "backup",
		description = "Copies a running server's store, including its MQTT sessions, to a file. The backup contains "
				+ "every write that was acknowledged before the command started. The server's 'restore' command "
				+ "creates a store from it.")
final class BackupCommand extends StoreCommand {

	/** Request timeout. A busy disk or cluster delays the answer. */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final long POLL_MILLIS = 200;

	@Option(names = "--to", paramLabel = "<file>", required = true, description = "File to create. Must not exist")
	private Path to = Path.of("");

	@Option(names = "--wait", paramLabel = "<time>", defaultValue = "60s",
			description = "How long to wait while the server writes a snapshot or another client reads a backup "
					+ "(default: ${DEFAULT-VALUE})")
	private Duration wait = Duration.ofSeconds(60);

	@Override
	void validate() {
		Path parent = this.to.toAbsolutePath().getParent();
		CliException.require(parent != null && Files.isDirectory(parent),
				"Invalid --to: directory " + parent + " does not exist");
		CliException.require(!Files.exists(this.to), "Invalid --to: file " + this.to + " exists. Use another name");
	}

	@Override
	int run(Session session) throws IOException, InterruptedException, NoSuchAlgorithmException {
		AdministrationClient administration = session.administration();
		AdministrationPage<Bytes> first = begin(administration);
		// Readable only by its owner, because the file contains all values.
		Path file = this.to.toAbsolutePath();
		Path temporary = Files.createTempFile(file.getParent(), file.getFileName() + ".", ".tmp");
		try {
			copy(administration, first, temporary);
			Files.move(temporary, file);
		}
		finally {
			Files.deleteIfExists(temporary);
		}
		message("Backup written to " + file + " (" + Files.size(file) + " bytes)");
		return ExitCodes.OK;
	}

	/** Begins a backup once the server is ready. */
	private AdministrationPage<Bytes> begin(AdministrationClient administration) throws InterruptedException {
		long start = System.nanoTime();
		while (true) {
			try {
				return Session.await(administration.backup(new BackupQuery(null), TIMEOUT));
			}
			catch (StateStoreRefusedException ex) {
				if (!String.valueOf(ex.getMessage()).startsWith(Administration.NOT_YET)
						|| System.nanoTime() - start > this.wait.toNanos()) {
					throw ex;
				}
			}
			Thread.sleep(POLL_MILLIS);
		}
	}

	private static void copy(AdministrationClient administration, AdministrationPage<Bytes> first, Path file)
			throws IOException, NoSuchAlgorithmException {
		MessageDigest digest = MessageDigest.getInstance("SHA-256");
		AdministrationPage<Bytes> page = first;
		try (FileOutputStream output = new FileOutputStream(file.toFile())) {
			while (page.token() != null) {
				for (Bytes data : page.items()) {
					digest.update(data.toArray());
					output.write(data.toArray());
				}
				page = Session.await(administration.backup(new BackupQuery(page.token()), TIMEOUT));
			}
			// The last page contains the digest.
			byte[] actual = digest.digest();
			if (!page.items().equals(List.of(Bytes.wrap(actual)))) {
				throw new CliException(ExitCodes.FAILED, "The backup was changed in transit. Repeat the command");
			}
			output.write(actual);
			output.getFD().sync();
		}
	}

}
