package io.statestore.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.dafka.InvalidOptionException;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.CurveOptions;
import io.statestore.history.HistoryChange;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.history.HistoryQuery;
import io.statestore.history.HistoryStream;
import io.statestore.history.MissingChangesException;
import io.statestore.history.StateHistory;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Command {@code statestore history}: prints the changes of a key, or of all keys, from
 * the history that the server publishes on a Dafka network.
 */
@Command(name = "history", mixinStandardHelpOptions = true, versionProvider = ManifestVersion.class,
		description = "Prints who changed a key and when, from the history of the store. The server must keep a history, "
				+ "and publish it on a Dafka network.")
final class HistoryCommand implements Callable<Integer> {

	private static final Duration POLL = Duration.ofMillis(20);

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Parameters(index = "0", arity = "0..1", paramLabel = "<key>", description = "Key (default: all keys)")
	private @Nullable String key;

	@Option(names = "--tower", paramLabel = "<host[:port[:pub-port]]>", converter = TowerConverter.class,
			description = "Tower of the Dafka network; repeatable "
					+ "(default: the environment variable STATESTORE_TOWER, or localhost)")
	private List<TowerAddress> towers = new ArrayList<>();

	@Option(names = "--curve-key", paramLabel = "<file>",
			description = "Secret key for a Dafka network with CURVE, created by 'dafka keys'")
	private @Nullable Path curveKey;

	@Option(names = "--curve-peers", paramLabel = "<file>", description = "List of the nodes of a network with CURVE")
	private @Nullable Path curvePeers;

	@Option(names = "--curve-tower", paramLabel = "<name>", defaultValue = CurveOptions.DEFAULT_TOWER,
			description = "Name of the tower in the list of nodes; one for each tower, or one for all "
					+ "(default: ${DEFAULT-VALUE})")
	private List<String> curveTowers = new ArrayList<>();

	@Option(names = "--topic", paramLabel = "<topic>", defaultValue = StateHistory.DEFAULT_TOPIC,
			description = "Topic of the history (default: ${DEFAULT-VALUE})")
	private String topic = StateHistory.DEFAULT_TOPIC;

	@Option(names = "--partition", paramLabel = "<name>", description = "Partition, if the topic has several histories")
	private @Nullable String partition;

	@Option(names = { "-n", "--last" }, paramLabel = "<number>", description = "Number of latest changes to print")
	private int last = Integer.MAX_VALUE;

	@Option(names = "--settle", paramLabel = "<time>", converter = DurationConverter.class, defaultValue = "2s",
			description = "Minimum time to wait for announcements of changes (default: ${DEFAULT-VALUE})")
	private Duration settle = Duration.ofSeconds(2);

	@Option(names = "--timeout", converter = DurationConverter.class, paramLabel = "<time>", defaultValue = "10s",
			description = "Maximum time without a change before the command fails (default: ${DEFAULT-VALUE})")
	private Duration timeout = Duration.ofSeconds(10);

	@Option(names = "--show", paramLabel = "<format>",
			description = "Show values as text, json, or hex (default: based on their content)")
	private @Nullable ValueFormat show;

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	public Integer call() throws InterruptedException {
		System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
		if (this.last < 1) {
			throw CliException.usage("The value of --last is " + this.last + "; use at least 1");
		}
		HistoryQuery query = (this.key != null) ? HistoryQuery.all().key(Bytes.of(this.key)) : HistoryQuery.all();
		StateHistory.Builder builder = StateHistory.over(network()).topic(this.topic);
		if (this.partition != null) {
			builder.partition(this.partition);
		}
		try (HistoryStream changes = builder.build().changes(query);
				RecordWriter records = this.output.records("time", "version", "who", "operation", "key", "value")) {
			Deque<HistoryChange> kept = new ArrayDeque<>();
			read(changes, (change) -> {
				if (this.last == Integer.MAX_VALUE) {
					write(records, change);
					return;
				}
				kept.add(change);
				if (kept.size() > this.last) {
					kept.remove();
				}
			});
			kept.forEach((change) -> write(records, change));
		}
		return ExitCodes.OK;
	}

	private NodeOptions network() {
		NodeOptions.Builder builder = NodeOptions.builder();
		if (this.towers.isEmpty()) {
			String variable = Environment.of(this.spec).variable("STATESTORE_TOWER");
			builder.tower(new TowerConverter().convert((variable != null) ? variable : "localhost"));
		}
		this.towers.forEach(builder::tower);
		if ((this.curveKey == null) != (this.curvePeers == null)) {
			throw CliException.usage("Use --curve-key and --curve-peers together");
		}
		try {
			if (this.curveKey != null && this.curvePeers != null) {
				builder.curve(new CurveOptions(this.curveKey, this.curvePeers, this.curveTowers));
			}
			return builder.build();
		}
		catch (InvalidOptionException ex) {
			throw CliException.usage(String.valueOf(ex.getMessage())
				.replace("'curve.keyFile'", "--curve-key")
				.replace("'curve.peersFile'", "--curve-peers")
				.replace("'curve.towers'", "--curve-tower"));
		}
	}

	/** Reads all changes that are known. */
	private void read(HistoryStream changes, Consumer<HistoryChange> consumer) throws InterruptedException {
		long begin = System.nanoTime();
		long progress = begin;
		boolean atEnd = false;
		while (!atEnd) {
			try {
				HistoryChange change = changes.next(POLL);
				if (change != null) {
					progress = System.nanoTime();
					if (isShown(change)) {
						consumer.accept(change);
					}
				}
				else {
					atEnd = isAtEnd(changes, begin, progress);
				}
			}
			catch (MissingChangesException ex) {
				progress = System.nanoTime();
				this.spec.commandLine().getErr().println(Texts.printable(String.valueOf(ex.getMessage())));
			}
		}
	}

	private boolean isAtEnd(HistoryStream changes, long begin, long progress) {
		long now = System.nanoTime();
		if (changes.lag() == 0) {
			return now - begin >= this.settle.toNanos();
		}
		if (now - progress < Math.max(this.timeout.toNanos(), this.settle.toNanos())) {
			return false;
		}
		if (changes.lag() > 0) {
			throw new CliException(ExitCodes.FAILED, changes.lag() + " changes of the history are known, but no node "
					+ "sends them. Check that the server or a Dafka store with the history is running");
		}
		throw new CliException(ExitCodes.NO_CONNECTION,
				"No node has announced a history on topic '" + this.topic
						+ "'. Check --tower and --topic. If the server "
						+ "keeps no history, set statestore.history.enabled, statestore.history.directory, and "
						+ "dafka.towers in the application with the embedded broker");
	}

	private static boolean isShown(HistoryChange change) {
		return switch (change.operation()) {
			case START, SET, DELETE, EXPIRE, GAP -> true;
			case PRESENT, COMPLETE, CONTENT -> false;
		};
	}

	private void write(RecordWriter records, HistoryChange change) {
		boolean set = change.operation() == Operation.SET;
		records.write(Versions.time(change.version()), change.version(), who(change),
				change.operation().name().toLowerCase(Locale.ROOT),
				change.key().isEmpty() ? null : new Key(change.key()),
				set ? ShownValue.of(change.value(), this.show) : null);
	}

	/**
	 * Returns the user with which the client has logged in. Otherwise returns the person
	 * or script that a command has named, or the client id.
	 */
	static @Nullable String who(HistoryChange change) {
		if (change.principal() != null) {
			return change.principal();
		}
		String clientId = change.clientId();
		return (clientId != null) ? Author.in(clientId).map(Author::name).orElse(clientId) : null;
	}

}
