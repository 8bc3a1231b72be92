package io.statestore.dafka.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import io.statestore.dafka.Ticker;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.CloseReport;
import io.statestore.dafka.producer.Identity;
import io.statestore.dafka.producer.Producer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code dafka produce}: sends records. */
@Command(name = "produce",
		description = "Sends lines from standard input, or files, as records and waits until a store has acknowledged "
				+ "them.")
final class ProduceCommand implements Callable<Integer> {

	private static final Duration POLL = Duration.ofMillis(20);

	private static final Duration MAX_BLOCK = Duration.ofDays(1);

	/** How long closing the producer may take. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

	@Option(names = { "-t", "--topic" }, required = true, paramLabel = "<topic>", description = "Topic of the records")
	private String topic = "";

	@Option(names = { "-D", "--delimiter" }, paramLabel = "<text>", defaultValue = "\\n",
			description = "Delimiter between records. Can contain \\n, \\t, \\r, \\0, \\xNN (default: newline)")
	private Bytes delimiter = Bytes.EMPTY;

	@Option(names = { "-l", "--lines" }, description = "Split files into records at the delimiter, like standard input")
	private boolean lines;

	@Option(names = "--identity", paramLabel = "<directory>",
			description = "Directory that keeps the producer's identity, so that later calls continue the same "
					+ "partition (default: a new partition)")
	private @Nullable Path identity;

	@Option(names = "--no-ack",
			description = "Do not wait for a store. Only running consumers then receive the records")
	private boolean noAck;

	@Option(names = "--linger", paramLabel = "<time>", defaultValue = "2s",
			description = "With --no-ack: how long to wait for consumers to receive the records (default: "
					+ "${DEFAULT-VALUE})")
	private Duration linger = Duration.ZERO;

	@Option(names = "--timeout", paramLabel = "<time>", defaultValue = "30s",
			description = "How long to wait for the next acknowledgment (default: ${DEFAULT-VALUE})")
	private Duration timeout = Duration.ZERO;

	@Option(names = "--progress", description = "Report progress even if standard error is not a terminal")
	private boolean progress;

	private final Ticker ticker = Ticker.SYSTEM;

	@Mixin
	private NodeArguments node = new NodeArguments();

	@Mixin
	private Messages messages = new Messages();

	@Parameters(arity = "0..*", paramLabel = "<file>",
			description = "Files to send, each as one record or, with -l, line by line (default: standard input)")
	private List<Path> files = new ArrayList<>();

	private ProduceCommand() {
	}

	@Override
	public Integer call() {
		Options.topic(this.topic);
		this.messages.require(this.delimiter.size() > 0,
				"The value of --delimiter is empty; use at least one character");
		for (Path file : this.files) {
			this.messages.require(Files.isRegularFile(file) && Files.isReadable(file),
					"'" + file + "' for <file> does not exist or is not readable; name a file that is");
		}
		try (Stop stop = Stop.onSignals()) {
			Producer producer = builder().start();
			try {
				RecordSender sender = new RecordSender(producer, this.topic, this.node.options().maxMessageSize());
				sender.start(this.files, this.lines, this.delimiter.unwrap());
				watch(producer, sender, stop);
				return report(producer, sender, stop.isRequested());
			}
			finally {
				producer.close(CLOSE_TIMEOUT);
			}
		}
	}

	private Producer.Builder builder() {
		Producer.Builder builder = Producer.builder(this.node.options())
			.acknowledge(this.noAck ? Acknowledge.NONE : Acknowledge.STORE)
			.maxBlock((this.timeout.compareTo(MAX_BLOCK) < 0) ? this.timeout : MAX_BLOCK);
		return (this.identity != null) ? builder.identity(Identity.directory(this.identity)) : builder;
	}

	/**
	 * Waits until all records are sent and acknowledged, or there is another reason to
	 * stop.
	 */
	private void watch(Producer producer, RecordSender sender, Stop stop) {
		Progress progress = new Progress(this.progress, Progress.IN, this.messages.err(), this.ticker);
		long done = 0;
		long doneAt = this.ticker.nanos();
		while (!stop.isRequested() && producer.failure() == null) {
			boolean ended = sender.end().isDone();
			long now = done(producer, sender);
			if (now != done || !ended) {
				done = now;
				doneAt = this.ticker.nanos();
			}
			if (ended && (done >= sender.sent() || this.ticker.nanos() - doneAt >= this.timeout.toNanos())) {
				break;
			}
			progress.update(sender.sent(), this.noAck ? "not sent" : "not acknowledged", sender.sent() - done);
			stop.await(POLL);
		}
		if (this.noAck && done > 0) {
			stop.await(this.linger);
		}
		progress.end();
	}

	/** Returns the number of acknowledged records; with --no-ack, of sent records. */
	private long done(Producer producer, RecordSender sender) {
		if (this.noAck) {
			boolean alone = producer.metrics().node().peers() == 0;
			return alone ? 0 : producer.metrics().sent();
		}
		return producer.metrics().acknowledged();
	}

	/** Closes the producer, prints the outcome, and returns the exit code. */
	private int report(Producer producer, RecordSender sender, boolean stopped) {
		boolean alone = producer.metrics().node().peers() == 0;
		boolean failed = producer.failure() != null;
		long missing = producer.close(CLOSE_TIMEOUT)
			.unacknowledged()
			.stream()
			.mapToLong(CloseReport.Range::count)
			.sum();
		String nodes = alone ? "; no other node was found through the tower " + this.node.towers() : "";
		List<String> problems = new ArrayList<>();
		if (sender.end().isCompletedExceptionally()) {
			problems
				.add(String.format(Locale.ROOT, "Sending stopped after %,d records: %s", sender.sent(), cause(sender)));
		}
		if (failed) {
			problems.add("The producer failed: " + producer.failure());
		}
		if (stopped) {
			this.messages.info("Stopped, records sent: %,d", sender.sent());
		}
		else if (sender.isRefused()) {
			problems.add("The rest of the input was not sent, because no store acknowledged records in time");
		}
		if (!this.noAck && missing > 0) {
			problems
				.add(String.format(Locale.ROOT, "%,d of %,d records were not acknowledged: check that a store runs%s",
						missing, sender.sent(), nodes));
		}
		if (this.noAck && alone && sender.sent() > 0) {
			problems.add(String.format(Locale.ROOT, "No consumer received the %,d records%s", sender.sent(), nodes));
		}
		long abandoned = producer.metrics().abandoned();
		if (abandoned > 0) {
			problems.add(String.format(Locale.ROOT,
					"%,d of %,d records may be missing, because a consumer still requested them. Use a longer --linger, "
							+ "or a store without --no-ack",
					abandoned, sender.sent()));
		}
		problems.forEach((problem) -> this.messages.error("%s", problem));
		return problems.isEmpty() ? 0 : Messages.FAILED;
	}

	private static String cause(RecordSender sender) {
		Throwable cause = sender.end().handle((end, failure) -> failure).join();
		return (cause != null && cause.getMessage() != null) ? cause.getMessage() : String.valueOf(cause);
	}

}
