package io.statestore.dafka.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

import io.statestore.dafka.cli.Converters.Size;
import io.statestore.dafka.cli.Converters.Timeout;
import io.statestore.dafka.store.Fsync;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code dafka store}: runs a store. */
@Command(name = "store",
		description = "Stores the records of all topics for consumers that start later. Stop it with Ctrl+C.")
final class StoreCommand implements Callable<Integer> {

	@Option(names = { "-d", "--directory" }, paramLabel = "<directory>",
			description = "Directory of the records (default: in memory, lost when the store ends)")
	private @Nullable Path directory;

	@Option(names = "--fsync", paramLabel = "<when>", defaultValue = "never",
			description = "When to sync to disk before acknowledging: never, batch, or record. With never, records "
					+ "survive a crash of the process, but not of the machine (default: ${DEFAULT-VALUE})")
	private Fsync fsync = Fsync.NEVER;

	@Option(names = "--retention-age", paramLabel = "<time>",
			description = "Maximum age of records, such as 12h or 7d (default: unlimited)")
	private @Nullable Duration retentionAge;

	@Option(names = "--retention-size", paramLabel = "<size>",
			description = "Maximum size of all records, such as 500M or 10G; the oldest are removed "
					+ "(default: unlimited)")
	private @Nullable Size retentionSize;

	@Option(names = "--skip-timeout", paramLabel = "<time>", defaultValue = "1m",
			description = "Time after which records that no node sends count as lost, or never. The store logs an error "
					+ "and continues. Choose a longer time than another store needs to restart "
					+ "(default: ${DEFAULT-VALUE})")
	private Timeout skipTimeout = new Timeout(null);

	@Mixin
	private NodeArguments node = new NodeArguments();

	@Mixin
	private Messages messages = new Messages();

	private StoreCommand() {
	}

	@Override
	public Integer call() {
		try (Stop stop = Stop.onSignals(); Store store = builder().start()) {
			this.messages.info("Store listens on port %d, towers %s, records %s", store.port(), this.node.towers(),
					(this.directory != null) ? "in " + this.directory : "in memory");
			return stop.awaitEnd("store", store::failure, this.messages);
		}
	}

	private Store.Builder builder() {
		Store.Builder builder = Store.builder(this.node.options())
			.fsync(this.fsync)
			.skipTimeout(this.skipTimeout.time());
		if (this.directory != null) {
			builder.directory(this.directory);
		}
		if (this.retentionAge != null) {
			builder.retentionTime(this.retentionAge);
		}
		if (this.retentionSize != null) {
			builder.retentionBytes(this.retentionSize.bytes());
		}
		return builder;
	}

}
