package io.statestore.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.server.ClusterOperations;
import io.statestore.cluster.NodeStatus.MemberStatus;
import io.statestore.cluster.transport.StatusClient;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * Administrators' operations on a node, which asks other nodes for their states and
 * numbers. Thread-safe.
 */
final class NodeAdministration implements ClusterOperations, AutoCloseable {

	/**
	 * Maximum number of entries that a node may lack to become the leader. While it
	 * receives them, the cluster does not accept writes.
	 */
	private static final int MAX_LAG = 1_000;

	private final ClusterOptions options;

	private final RaftNode node;

	private final StatusClient client;

	NodeAdministration(ClusterOptions options, RaftNode node) {
		this.options = options;
		this.node = node;
		node.transport().answerStatus(() -> Administration.encodeItem(state()));
		this.client = node.transport().statusClient();
	}

	@Override
	public ClusterNodeState state() {
		return this.node.status().state(this.options.node());
	}

	@Override
	public CompletableFuture<List<ClusterNodeState>> states() {
		NodeStatus own = this.node.status();
		List<CompletableFuture<ClusterNodeState>> states = new ArrayList<>();
		own.members().forEach((member) -> states.add(state(own, member)));
		return CompletableFuture.allOf(states.toArray(CompletableFuture[]::new))
			.thenApply((all) -> states.stream().map(CompletableFuture::join).toList());
	}

	private CompletableFuture<ClusterNodeState> state(NodeStatus own, MemberStatus status) {
		Member member = status.member();
		CompletableFuture<ClusterNodeState> state = member.equals(own.node())
				? CompletableFuture.completedFuture(own.state(this.options.node()))
				: ask(member)
					.thenApply((answer) -> isFrom(member, answer) ? answer
							: absent(member,
									"its address is that of a new node, which has the number " + answer.number()
											+ " and is no member yet"))
					.exceptionally((failure) -> absent(member, "it does not answer"));
		Long lag = (status.lag() >= 0) ? status.lag() : null;
		return state.thenApply((known) -> known.seenByLeader(lag, status.lastContact()));
	}

	private static boolean isFrom(Member member, ClusterNodeState answer) {
		return answer.number() == member.number() && answer.address().equals(member.address());
	}

	private ClusterNodeState absent(Member member, String reason) {
		return new ClusterNodeState(name(member), member.address(), member.number(), Role.UNREACHABLE, 0, null, 0, 0, 0,
				null, null, false, 0, reason);
	}

	private @Nullable String name(Member member) {
		return this.options.peers()
			.entrySet()
			.stream()
			.filter((peer) -> peer.getValue().toString().equals(member.address()))
			.map(Map.Entry::getKey)
			.findFirst()
			.orElse(null);
	}

	private CompletableFuture<ClusterNodeState> ask(Member member) {
		// Enough to open a connection, but less than an administrator's client waits.
		Duration timeout = this.options.electionTimeout().plusMillis(250);
		return this.client.ask(member.endpoint(), timeout).thenApply((answer) -> {
			try {
				return Administration.decodeItem(ClusterNodeState.class, Bytes.wrap(answer));
			}
			catch (ProtocolException ex) {
				throw new CompletionException(
						new IOException("its version is incompatible. Run the same version on all nodes", ex));
			}
		});
	}

	@Override
	public CompletableFuture<Void> change(ClusterRequest request) {
		if (!this.node.isLeading()) {
			return CompletableFuture
				.failedFuture(new IllegalStateException("this node is not the leader. Repeat the command"));
		}
		List<String> arguments = request.arguments();
		return states().thenCompose((states) -> switch (request.action()) {
			case ADD -> newNode(arguments.get(0)).thenCompose((added) -> add(states, added));
			case REMOVE -> {
				ClusterNodeState removed = member(states, arguments.get(0));
				requireMajority(removed, others(states, removed));
				yield this.node.removeMember(asMember(removed));
			}
			case REPLACE -> newNode(arguments.get(1)).thenCompose((added) -> replace(states, arguments.get(0), added));
			case TRANSFER -> {
				ClusterNodeState next = member(states, arguments.get(0));
				requireAbleToLead(next);
				this.node.transferLeadership(asMember(next));
				yield CompletableFuture.<Void>completedFuture(null);
			}
			case STATUS -> throw new IllegalArgumentException("'status' is not a change");
		}).exceptionally((failure) -> {
			throw new CompletionException(explain(failure));
		});
	}

	private static @Nullable Throwable explain(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		return (cause instanceof NotLeaderException) ? new IllegalStateException(
				"another node has to lead first, so leadership is moving to it. Repeat the command") : cause;
	}

	private CompletableFuture<Void> add(List<ClusterNodeState> states, ClusterNodeState added) {
		for (ClusterNodeState member : states) {
			if (member.address().equals(added.address()) && member.number() != added.number()) {
				throw new IllegalArgumentException("a member already has the address " + added.address()
						+ ", and its data is lost. Use 'cluster replace " + addressAndNumber(member) + ' '
						+ added.address() + "'");
			}
		}
		return this.node.addMember(asMember(added));
	}

	private CompletableFuture<Void> replace(List<ClusterNodeState> states, String name, ClusterNodeState added) {
		ClusterNodeState removed = states.stream()
			.filter((member) -> member.isMeantBy(name) && !isSame(member, added))
			.findFirst()
			.orElseGet(() -> member(states, name));
		if (isSame(removed, added)) {
			return CompletableFuture.completedFuture(null);
		}
		List<ClusterNodeState> next = new ArrayList<>(others(states, removed));
		next.add(added);
		requireMajority(removed, next);
		return this.node.replaceMember(asMember(removed), asMember(added));
	}

	private static boolean isSame(ClusterNodeState first, ClusterNodeState second) {
		return first.address().equals(second.address()) && first.number() == second.number();
	}

	private static List<ClusterNodeState> others(List<ClusterNodeState> states, ClusterNodeState without) {
		return states.stream().filter((state) -> !isSame(state, without)).toList();
	}

	/** Asks a node that was started to join for its state, which contains its number. */
	private CompletableFuture<ClusterNodeState> newNode(String text) {
		NodeAddress peer = this.options.peers().get(text);
		Member address = Member.parse((peer != null) ? peer.toString() : text);
		return ask(address).handle((answer, failure) -> {
			if (failure != null) {
				throw new IllegalStateException("node " + address.address()
						+ " does not answer. Start it with --join, and check that the nodes reach each other");
			}
			if (address.number() != 0 && address.number() != answer.number()) {
				throw new IllegalArgumentException(
						"node " + address.address() + " has the number " + answer.number() + ". Omit the number");
			}
			if (answer.entryFormat() < LogEntryCodec.FORMAT) {
				throw new IllegalArgumentException("node " + address.address()
						+ " runs an earlier version, which cannot read the log. Start it with the version of the leader");
			}
			return answer;
		});
	}

	private static ClusterNodeState member(List<ClusterNodeState> states, String text) {
		Predicate<ClusterNodeState> meant = (state) -> state.isMeantBy(text);
		List<ClusterNodeState> found = states.stream().filter(meant).toList();
		if (found.size() != 1) {
			String members = states.stream()
				.map(NodeAdministration::addressAndNumber)
				.collect(Collectors.joining(", "));
			throw new IllegalArgumentException((found.isEmpty() ? "no member matches" : "several members match") + " '"
					+ text + "'. Use one of " + members);
		}
		return found.get(0);
	}

	private static Member asMember(ClusterNodeState state) {
		return Member.parse(state.address()).withNumber(state.number());
	}

	private static String displayName(ClusterNodeState state) {
		return (state.name() != null) ? state.name() : addressAndNumber(state);
	}

	private static String addressAndNumber(ClusterNodeState state) {
		return state.address() + ':' + state.number();
	}

	/**
	 * Refuses a node that cannot lead now. Until the attempt ended, the cluster would not
	 * have a leader.
	 */
	private static void requireAbleToLead(ClusterNodeState next) {
		String reason = switch (next.role()) {
			case UNREACHABLE, FAILED -> (next.failure() != null) ? next.failure() : "it does not run";
			case LEARNER, NO_MEMBER -> "it still receives the data";
			case FOLLOWER, CANDIDATE -> reasonNotToLead(next);
			case LEADER -> null;
		};
		if (reason != null) {
			throw new IllegalStateException("node " + displayName(next) + " cannot lead: " + reason);
		}
	}

	private static @Nullable String reasonNotToLead(ClusterNodeState follower) {
		if (follower.diskFull()) {
			return "its disk is full";
		}
		Long lag = follower.lag();
		return (lag == null || lag > MAX_LAG) ? "it still lacks entries of the log" : null;
	}

	/** Refuses a change after which a majority of the members would not be running. */
	private static void requireMajority(ClusterNodeState removed, List<ClusterNodeState> next) {
		List<String> absent = next.stream()
			.filter((state) -> state.role() == Role.UNREACHABLE || state.role() == Role.FAILED)
			.map(NodeAdministration::displayName)
			.toList();
		if (!next.isEmpty() && 2 * (next.size() - absent.size()) <= next.size()) {
			throw new IllegalArgumentException("without " + displayName(removed)
					+ ", the running members would not be a majority, because these are not running: "
					+ String.join(", ", absent) + ". Start, replace, or remove them first");
		}
	}

	@Override
	public void close() {
		this.client.close();
	}

}
