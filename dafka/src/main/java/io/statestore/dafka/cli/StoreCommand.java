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
		description = "Stores the records of all topics for consumers that start later. Stop with Ctrl+C.")
final class StoreCommand implements Callable<Integer> {

	@Option(names = { "-d", "--directory" }, paramLabel = "<directory>",
			description = "Directory for the records (default: records are kept in memory and lost when the store "
					+ "stops)")
	private @Nullable Path directory;

	@Option(names = "--fsync", paramLabel = "<when>", defaultValue = "never",
			description = "When to force records to disk before acknowledging them: never, batch, or record. With "
					+ "never, records survive a process crash but not a machine crash (default: ${DEFAULT-VALUE})")
	private Fsync fsync = Fsync.NEVER;

	@Option(names = "--retention-age", paramLabel = "<time>",
			description = "Maximum age of records, such as 12h or 7d (default: unlimited)")
	private @Nullable Duration retentionAge;

	@Option(names = "--retention-size", paramLabel = "<size>",
			description = "Maximum total size of the records, such as 500M or 10G. The oldest records are removed "
					+ "(default: unlimited)")
	private @Nullable Size retentionSize;

	@Option(names = "--skip-timeout", paramLabel = "<time>", defaultValue = "1m",
			description = "How long to wait for missing records before they count as lost, or never. The store logs an "
					+ "error and continues. Choose a longer time than another store needs to restart (default: "
					+ "${DEFAULT-VALUE})")
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
