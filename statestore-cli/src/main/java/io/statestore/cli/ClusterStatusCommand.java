package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Command {@code statestore cluster status}: shows the nodes of a cluster. */
@Command(name = "status", description = "Shows the role, term, log, and disk of each node.")
final class ClusterStatusCommand extends StoreCommand {

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	int run(Session session) {
		print(this.output, new ClusterClient(session).nodes());
		return ExitCodes.OK;
	}

	/** Prints a line for each node. */
	static void print(OutputOptions output, List<ClusterNodeState> nodes) {
		try (RecordWriter records = output.records("node", "address", "role", "term", "last", "applied", "lag",
				"contact", "snapshot", "disk", "failure")) {
			nodes.forEach((node) -> write(records, node));
		}
	}

	private static void write(RecordWriter records, ClusterNodeState node) {
		boolean known = node.role() != Role.UNREACHABLE;
		records.write(node.name(), ClusterClient.address(node),
				node.role().name().toLowerCase(Locale.ROOT).replace('_', ' '), known ? node.term() : null,
				known ? node.lastIndex() : null, known ? node.appliedIndex() : null, node.lag(),
				seconds(node.lastContact()), known ? node.snapshotIndex() : null,
				known ? (node.diskFull() ? "full" : "ok") : null, node.failure());
	}

	private static @Nullable Double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() / 1000.0 : null;
	}

}
