package io.statestore.dafka.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

import io.statestore.dafka.store.Fsync;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dafka store}. */
@Command(name = "store", mixinStandardHelpOptions = true, sortOptions = false,
		versionProvider = DafkaCommand.Version.class,
		description = "Keeps the records of all topics for who comes late. Stop it with Ctrl+C.")
final class StoreCommand implements Callable<Integer> {

	@Option(names = { "-d", "--directory" }, paramLabel = "<directory>",
			description = "Where to keep the records (default: in memory, gone when the store ends)")
	private @Nullable Path directory;

	@Option(names = "--fsync", paramLabel = "<when>", defaultValue = "never",
			description = "never, batch or record: when to wait for the disk before records are acknowledged. "
					+ "With never they survive the end of the process, not that of the machine "
					+ "(default: ${DEFAULT-VALUE})")
	private Fsync fsync = Fsync.NEVER;

	@Option(names = "--retention-age", paramLabel = "<time>", converter = Converters.OfDuration.class,
			description = "How long to keep records, such as 12h or 7d (default: for ever)")
	private @Nullable Duration retentionAge;

	@Option(names = "--retention-size", paramLabel = "<size>", converter = Converters.OfSize.class,
			description = "How much to keep, the newest, such as 500M or 10G (default: everything)")
	private @Nullable Long retentionSize;

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
		Store.Builder builder = Store.builder(this.node.options()).fsync(this.fsync);
		if (this.directory != null) {
			builder.directory(this.directory);
		}
		if (this.retentionAge != null) {
			builder.retentionTime(this.retentionAge);
		}
		if (this.retentionSize != null) {
			builder.retentionBytes(this.retentionSize);
		}
		return builder;
	}

}
