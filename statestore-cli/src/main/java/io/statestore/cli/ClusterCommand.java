package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command {@code statestore cluster}: groups commands for a cluster of brokers. */
@Command(name = "cluster", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
		subcommands = { ClusterCommand.Status.class, ClusterCommand.Add.class, ClusterCommand.Remove.class,
				ClusterCommand.Replace.class, ClusterCommand.Transfer.class },
		description = "Shows and changes the nodes of a cluster. Identify a node by its name, its address, or its "
				+ "address with its number, as shown by 'cluster status'.")
final class ClusterCommand implements Runnable {

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	/** Reports that no command was given. */
	@Override
	public void run() {
		throw new ParameterException(this.spec.commandLine(),
				"A command is missing; use one of " + String.join(", ", this.spec.subcommands().keySet()));
	}

	private static boolean runs(ClusterNodeState node, String name) {
		return node.isMeantBy(name) && (node.role() == Role.LEADER || node.role() == Role.FOLLOWER);
	}

	/**
	 * Command {@code statestore cluster status}, also the base of the other commands:
	 * prints a line for each node.
	 */
	@Command(name = "status", description = "Shows the role, term, log, and disk of each node.")
	static class Status extends ResultCommand {

		@Override
		int run(Session session) throws InterruptedException {
			try (RecordWriter records = records("node", "address", "role", "term", "last", "applied", "lag", "contact",
					"snapshot", "disk", "failure")) {
				nodes(new ClusterClient(session.administration())).forEach((node) -> write(records, node));
			}
			return ExitCodes.OK;
		}

		/** Returns the nodes to print. */
		List<ClusterNodeState> nodes(ClusterClient client) throws InterruptedException {
			return client.nodes();
		}

		private static void write(RecordWriter records, ClusterNodeState node) {
			boolean known = node.role() != Role.UNREACHABLE;
			records.write(node.name(), (node.number() != 0) ? node.address() + ':' + node.number() : node.address(),
					node.role().name().toLowerCase(Locale.ROOT).replace('_', ' '), known ? node.term() : null,
					known ? node.lastIndex() : null, known ? node.appliedIndex() : null, node.lag(),
					Versions.seconds(node.lastContact()), known ? node.snapshotIndex() : null,
					known ? (node.diskFull() ? "full" : "ok") : null, node.failure());
		}

	}

	/** Command that changes a cluster and then prints its nodes. */
	abstract static class Change extends Status {

		private final Action action;

		private final String nextStep;

		@Parameters(index = "0", paramLabel = "<node>",
				description = "The node's name, or the host and port that it listens on for other nodes")
		private String node = "";

		@Option(names = "--wait", paramLabel = "<time>", defaultValue = "60s",
				description = "How long to wait for the change to be made (default: ${DEFAULT-VALUE})")
		private Duration wait = Duration.ofSeconds(60);

		/**
		 * Creates a command.
		 * @param nextStep what to do after the change; {@code %1$s} represents the node
		 * and {@code %2$s} represents its replacement. Empty if there is nothing to do
		 */
		Change(Action action, String nextStep) {
			this.action = action;
			this.nextStep = nextStep;
		}

		@Override
		final int run(Session session) throws InterruptedException {
			int exitCode = super.run(session);
			String[] nodes = nodes(this.node);
			if (!this.nextStep.isEmpty() && Stream.of(nodes).distinct().count() == nodes.length) {
				message(this.nextStep.formatted((Object[]) nodes));
			}
			return exitCode;
		}

		@Override
		final List<ClusterNodeState> nodes(ClusterClient client) throws InterruptedException {
			String[] names = nodes(this.node);
			return client.change(ClusterRequest.of(this.action, names),
					(nodes) -> isMade(nodes, names[0], names[names.length - 1]), this.wait);
		}

		/** Returns the nodes to name in the request. */
		String[] nodes(String node) {
			return new String[] { node };
		}

		/** Returns whether the nodes show that the change was made. */
		private boolean isMade(List<ClusterNodeState> nodes, String node, String added) {
			return switch (this.action) {
				case STATUS -> true;
				case ADD -> nodes.stream().anyMatch((state) -> runs(state, node));
				case REMOVE -> !nodes.isEmpty() && nodes.stream().noneMatch((state) -> state.isMeantBy(node));
				case REPLACE -> nodes.stream().anyMatch((state) -> runs(state, added))
						&& nodes.stream().allMatch((state) -> state.isMeantBy(added) || !state.isMeantBy(node));
				case TRANSFER ->
					nodes.stream().anyMatch((state) -> state.role() == Role.LEADER && state.isMeantBy(node));
			};
		}

	}

	/** Command {@code statestore cluster add}. */
	@Command(name = "add",
			description = "Adds a node that was started with --join. It receives the data before it can vote.")
	static final class Add extends Change {

		Add() {
			super(Action.ADD, "Add %1$s to --peers of all nodes before their next start");
		}

	}

	/** Command {@code statestore cluster remove}. */
	@Command(name = "remove",
			description = "Removes a node. If it is the leader, leadership moves to another node first.")
	static final class Remove extends Change {

		Remove() {
			super(Action.REMOVE, "Stop node %1$s, and remove it from --peers of the others before their next start");
		}

	}

	/** Command {@code statestore cluster replace}. */
	@Command(name = "replace",
			description = "Replaces a node with a node that was started with --join, in one step. Use it if a node has "
					+ "lost its data or moves to another machine.")
	static final class Replace extends Change {

		@Parameters(index = "1", arity = "0..1", paramLabel = "<address>",
				description = "Host and port that the new node listens on for other nodes (default: those of the "
						+ "replaced node)")
		private @Nullable String address;

		Replace() {
			super(Action.REPLACE,
					"Stop node %1$s, and name %2$s in its place in --peers of all nodes before their next start");
		}

		@Override
		String[] nodes(String node) {
			return new String[] { node, (this.address != null) ? this.address : node };
		}

	}

	/** Command {@code statestore cluster transfer-leadership}. */
	@Command(name = "transfer-leadership", description = "Moves leadership to a node. Clients have to reconnect once.")
	static final class Transfer extends Change {

		Transfer() {
			super(Action.TRANSFER, "");
		}

	}

}
