package io.statestore.dafka.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.statestore.dafka.Ticker;
import io.statestore.dafka.cli.Converters.Start;
import io.statestore.dafka.cli.Converters.Timeout;
import io.statestore.dafka.cli.EndOfTopics.Verdict;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import io.statestore.dafka.consumer.OffsetStore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code dafka consume}: prints the records of one or more topics. */
@Command(name = "consume",
		description = "Prints the records of topics. Records of the same partition are in order. Stop with Ctrl+C.")
final class ConsumeCommand implements Callable<Integer> {

	/** Exit code when it is unknown whether all records were read. */
	private static final int UNKNOWN = 3;

	private static final Duration POLL = Duration.ofMillis(50);

	/**
	 * How long to wait for a connection to another node before a message reports that
	 * there is none.
	 */
	private static final Duration ALONE_TIMEOUT = Duration.ofSeconds(10);

	@Option(names = { "-t", "--topic" }, required = true, paramLabel = "<topic>",
			description = "Topic to read; repeatable")
	private List<String> topics = new ArrayList<>();

	@Option(names = { "-o", "--offset" }, paramLabel = "<where>", defaultValue = "beginning",
			description = "Where to start in partitions that have no saved offset: beginning or end (also earliest, "
					+ "latest), or a number of at least 0 (default: ${DEFAULT-VALUE})")
	private Start beginning = new Start(Start.END);

	@Option(names = { "-e", "--exit" }, description = "Exit after the last known record")
	private boolean exitAtEnd;

	@Option(names = { "-c", "--count" }, paramLabel = "<number>", description = "Exit after this number of records")
	private long count = Long.MAX_VALUE;

	@Option(names = { "-f", "--format" }, paramLabel = "<format>", defaultValue = "%s%n",
			description = "Output format: %%t topic, %%p partition, %%o offset, %%s content, %%S size of the "
					+ "content in bytes, %%n newline, %%%% percent sign, and \\n, \\t, \\r, \\0, \\xNN "
					+ "(default: %%s%%n)")
	private RecordFormat format = RecordFormat.of("");

	@Option(names = "--offsets", paramLabel = "<file>",
			description = "File with saved offsets. The command continues from them and saves new offsets")
	private @Nullable Path offsets;

	@Option(names = "--settle", paramLabel = "<time>", defaultValue = "2s",
			description = "With -e: how long no new records must arrive before the command exits (default: "
					+ "${DEFAULT-VALUE})")
	private Duration settle = Duration.ZERO;

	@Option(names = "--timeout", paramLabel = "<time>", defaultValue = "30s",
			description = "With -e: how long to wait for the first partition or for known records (default: "
					+ "${DEFAULT-VALUE})")
	private Duration timeout = Duration.ZERO;

	@Option(names = "--skip-timeout", paramLabel = "<time>", defaultValue = "never",
			description = "How long to wait for missing records before they count as lost, or never. Reading then "
					+ "continues with the next available record (default: ${DEFAULT-VALUE})")
	private Timeout skipTimeout = new Timeout(null);

	@Option(names = "--progress", description = "Report progress even if standard error is not a terminal")
	private boolean progress;

	private final Ticker ticker = Ticker.SYSTEM;

	@Mixin
	private NodeArguments node = new NodeArguments();

	@Mixin
	private Messages messages = new Messages();

	private ConsumeCommand() {
	}

	@Override
	public Integer call() {
		this.messages.require(this.count > 0, "The value of --count is " + this.count + "; use at least 1");
		this.messages.require(!this.exitAtEnd || this.offsets != null || this.beginning.offset() != Start.END,
				"--exit with --offset=end reads no records; omit one of them, or continue from saved --offsets");
		RecordOutput output = new RecordOutput(
				new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), this.format, this.count,
				this.messages);
		Consumer.Builder builder = Consumer.builder(this.node.options())
			.topics(this.topics.toArray(String[]::new))
			.skipTimeout(this.skipTimeout.time());
		if (this.beginning.offset() != Start.END) {
			builder.beginAt(this.beginning.offset());
		}
		try (Stop stop = Stop.onSignals();
				Consumer consumer = output.start(builder,
						(this.offsets != null) ? OffsetStore.file(this.offsets) : OffsetStore.memory())) {
			Verdict verdict = watch(consumer, output, stop);
			boolean alone = consumer.metrics().node().peers() == 0;
			consumer.close();
			output.flush();
			return report(verdict, alone, consumer, output);
		}
	}

	/** Waits for the end of the topics or another reason to stop. */
	private Verdict watch(Consumer consumer, RecordOutput output, Stop stop) {
		Progress progress = new Progress(this.progress, Progress.OUT, this.messages.err(), this.ticker);
		EndOfTopics end = new EndOfTopics(this.settle, this.timeout, this.ticker.nanos());
		long reportAloneAt = this.ticker.nanos() + ALONE_TIMEOUT.toNanos();
		boolean alone = true;
		Verdict verdict = Verdict.READING;
		while (verdict == Verdict.READING && !output.isDone() && consumer.failure() == null && !stop.await(POLL)) {
			output.flush();
			ConsumerMetrics metrics = consumer.metrics();
			progress.update(output.count(), "lag", metrics.lag());
			alone = alone && metrics.node().peers() == 0;
			if (alone && this.ticker.nanos() - reportAloneAt >= 0) {
				alone = false;
				this.messages.info("No other node was found through the tower %s; waiting. Check --tower",
						this.node.towers());
			}
			if (this.exitAtEnd) {
				verdict = end.at(this.ticker.nanos(), metrics, consumer.completeness());
			}
		}
		progress.end();
		return verdict;
	}

	/** Prints the outcome and returns the exit code. */
	private int report(Verdict verdict, boolean alone, Consumer consumer, RecordOutput output) {
		String topics = String.join(", ", this.topics);
		if (output.failure() != null) {
			return failed("Cannot write to standard output: %s", output.failure().getMessage());
		}
		if (consumer.failure() != null) {
			return failed("The consumer failed: %s", consumer.failure());
		}
		ConsumerMetrics metrics = consumer.metrics();
		return switch (verdict) {
			case READING -> 0;
			case REACHED -> {
				this.messages.info("Reached the end of %s, records: %,d%s", topics, output.count(),
						(metrics.lost() > 0) ? String.format(", lost: %,d", metrics.lost()) : "");
				yield 0;
			}
			case NOTHING_KNOWN -> alone
					? failed("No other node was found through the tower %s. Check --tower, and that the tower and a "
							+ "store are running", this.node.towers())
					: failed("No records found for %s. Check the topic name and that a store is running", topics);
			case STUCK -> failed("No node sent %,d known records. Check that the stores are running", metrics.lag());
			case PENDING -> failed("%s; records read: %,d", (metrics.refused() > 0)
					? "Records are missing, because there are more partitions than 'maxPartitions'"
					: "A store did not finish its list of partitions, so records may be missing. Check the stores and "
							+ "read again",
					output.count());
			case UNKNOWN -> {
				failed("Read all announced records of %s, but there may be more: a store does not report the end of "
						+ "its list (stores of the reference implementation never do). Increase --settle. "
						+ "Records read: %,d", topics, output.count());
				yield UNKNOWN;
			}
		};
	}

	private int failed(String format, @Nullable Object... arguments) {
		this.messages.error(format, arguments);
		return Messages.FAILED;
	}

}
