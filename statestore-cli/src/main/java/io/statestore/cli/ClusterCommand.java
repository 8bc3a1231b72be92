package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.Administration;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore cluster}: groups commands for a cluster of brokers. */
@Command(name = "cluster", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
		subcommands = { ClusterCommand.Status.class, ClusterCommand.Add.class, ClusterCommand.Remove.class,
				ClusterCommand.Replace.class, ClusterCommand.Transfer.class },
		description = "Shows and changes the nodes of a cluster. Identify a node by its name, its address, or its "
				+ "address with its number, as shown by 'cluster status'.")
final class ClusterCommand {

	/**
	 * Command {@code statestore cluster status}, also the base of the other commands:
	 * prints a line for each node.
	 */
	@Command(name = "status", description = "Shows the role, term, log, and disk of each node.")
	static class Status extends ResultCommand {

		/**
		 * Request timeout. Changes may take longer, because a new node must first receive
		 * the log.
		 */
		static final Duration TIMEOUT = Duration.ofSeconds(3);

		@Override
		int run(Session session) throws InterruptedException {
			List<ClusterNodeState> nodes = nodes(session);
			return list("node address role term last applied lag contact snapshot disk failure",
					(records) -> nodes.forEach((node) -> write(records, node)));
		}

		private static void write(RecordWriter records, ClusterNodeState node) {
			boolean known = node.role() != Role.UNREACHABLE;
			records.write(node.name(), (node.number() != 0) ? node.address() + ':' + node.number() : node.address(),
					node.role().name().toLowerCase(Locale.ROOT).replace('_', ' '), known ? node.term() : null,
					known ? node.lastIndex() : null, known ? node.appliedIndex() : null, node.lag(),
					Texts.seconds(node.lastContact()), known ? node.snapshotIndex() : null,
					known ? (node.diskFull() ? "full" : "ok") : null, node.failure());
		}

		/** Returns the nodes to print. */
		List<ClusterNodeState> nodes(Session session) throws InterruptedException {
			return Session.await(session.administration().nodes(TIMEOUT));
		}

	}

	/**
	 * Command that changes a cluster and then prints its nodes. A change may move
	 * leadership, which ends the connection. Therefore, an unanswered change is sent
	 * again only if the status shows that it was not made.
	 */
	abstract static class Change extends Status {

		private static final long POLL_MILLIS = 200;

		/**
		 * How long leadership may take to move before the transfer is requested again.
		 */
		private static final Duration TRANSFER = Duration.ofSeconds(3);

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
			boolean sameAddress = this.action == Action.REPLACE && replacement().equals(this.node);
			if (!this.nextStep.isEmpty() && !sameAddress) {
				message(this.nextStep.formatted(this.node, replacement()));
			}
			return exitCode;
		}

		/** Returns the node that takes the place of the node. */
		String replacement() {
			return this.node;
		}

		@Override
		final List<ClusterNodeState> nodes(Session session) throws InterruptedException {
			ClusterRequest request = new ClusterRequest(this.action,
					(this.action == Action.REPLACE) ? List.of(this.node, replacement()) : List.of(this.node));
			long end = System.nanoTime() + this.wait.toNanos();
			long next = System.nanoTime();
			String reason = "there was no answer";
			boolean sent = false;
			do {
				try {
					List<ClusterNodeState> nodes = sent ? super.nodes(session) : List.of();
					if (sent && isMade(nodes)) {
						return nodes;
					}
					if (System.nanoTime() - next >= 0) {
						sent = true;
						Session.await(session.administration().change(request, TIMEOUT));
						if (this.action != Action.TRANSFER) {
							return super.nodes(session);
						}
						reason = "the other node has not taken over leadership";
						next = System.nanoTime() + TRANSFER.toNanos();
					}
				}
				catch (AdministrationUnavailableException ex) {
					reason = String.valueOf(ex.getMessage());
				}
				catch (StateStoreRefusedException ex) {
					reason = String.valueOf(ex.getMessage());
					if (!reason.startsWith(Administration.NOT_YET)) {
						throw ex;
					}
					reason = reason.substring(Administration.NOT_YET.length());
				}
				Thread.sleep(POLL_MILLIS);
			}
			while (System.nanoTime() - end < 0);
			throw new CliException(ExitCodes.OUTCOME_UNKNOWN, "The change was not made within " + this.wait.toSeconds()
					+ " s: " + reason + ". It may still be made; see 'statestore cluster status'");
		}

		/** Returns whether the nodes show that the change was made. */
		private boolean isMade(List<ClusterNodeState> nodes) {
			Predicate<ClusterNodeState> meant = (state) -> state.isMeantBy(this.node);
			return switch (this.action) {
				case STATUS -> true;
				case ADD -> runs(nodes, this.node);
				case REMOVE -> !nodes.isEmpty() && nodes.stream().noneMatch(meant);
				case REPLACE -> runs(nodes, replacement())
						&& nodes.stream().noneMatch((state) -> meant.test(state) && !state.isMeantBy(replacement()));
				case TRANSFER -> nodes.stream().anyMatch((state) -> state.role() == Role.LEADER && meant.test(state));
			};
		}

		private static boolean runs(List<ClusterNodeState> nodes, String name) {
			return nodes.stream()
				.anyMatch((state) -> state.isMeantBy(name)
						&& (state.role() == Role.LEADER || state.role() == Role.FOLLOWER));
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
		String replacement() {
			return (this.address != null) ? this.address : super.replacement();
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
