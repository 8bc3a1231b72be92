package io.statestore.cluster;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.entity.PeerId;
import org.jspecify.annotations.Nullable;

/**
 * Changes the members, on the leader. Thread-safe. Methods do not wait.
 */
final class Membership {

	private static final String CHECK_NEW_NODE = ". Check that the new node runs, and that the nodes can reach each "
			+ "other";

	private final Member self;

	private final Supplier<Node> node;

	private final Supplier<@Nullable Member> leader;

	Membership(Member self, Supplier<Node> node, Supplier<@Nullable Member> leader) {
		this.self = self;
		this.node = node;
		this.leader = leader;
	}

	CompletableFuture<Void> add(Member member) {
		return change((node, members) -> {
			if (members.contains(member.peer())) {
				return CompletableFuture.completedFuture(null);
			}
			return outcome("Cannot add " + member + CHECK_NEW_NODE, (done) -> node.addPeer(member.peer(), done));
		});
	}

	CompletableFuture<Void> remove(Member member) {
		return change((node, members) -> {
			requireMember(member, members);
			if (members.size() == 1) {
				throw new IllegalArgumentException("Node " + member + " is the only member");
			}
			if (member.equals(this.self)) {
				return moveLeadership(node);
			}
			return outcome("Cannot remove " + member, (done) -> node.removePeer(member.peer(), done));
		});
	}

	CompletableFuture<Void> replace(Member removed, Member added) {
		return change((node, members) -> {
			requireMember(removed, members);
			if (removed.equals(this.self)) {
				return moveLeadership(node);
			}
			return add(added).thenCompose((done) -> remove(removed));
		});
	}

	private static void requireMember(Member member, List<PeerId> members) {
		if (!members.contains(member.peer())) {
			throw new IllegalArgumentException("Node " + member + " is not a member. The members are " + members);
		}
	}

	/** Transfers leadership, because only another leader can remove this node. */
	private CompletableFuture<Void> moveLeadership(Node node) {
		Status status = node.transferLeadershipTo(PeerId.ANY_PEER);
		return CompletableFuture.failedFuture(status.isOk() ? new NotLeaderException(null)
				: new IOException("Node " + this.self + " cannot give up leadership: " + status.getErrorMsg()));
	}

	void transfer(Member member) {
		Node node = this.node.get();
		if (!node.isLeader(false)) {
			throw new NotLeaderException(this.leader.get());
		}
		Status status = node.transferLeadershipTo(member.peer());
		if (!status.isOk()) {
			throw new IllegalStateException("Cannot transfer leadership to " + member + ": " + status.getErrorMsg());
		}
	}

	private CompletableFuture<Void> change(BiFunction<Node, List<PeerId>, CompletableFuture<Void>> start) {
		Node node = this.node.get();
		if (!node.isLeader(false)) {
			return CompletableFuture.failedFuture(new NotLeaderException(this.leader.get()));
		}
		try {
			return start.apply(node, node.listPeers());
		}
		catch (IllegalStateException ex) {
			return CompletableFuture.failedFuture(new NotLeaderException(this.leader.get()));
		}
		catch (IllegalArgumentException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<Void> outcome(String failure, Consumer<Closure> change) {
		CompletableFuture<Void> outcome = new CompletableFuture<>();
		change.accept((status) -> {
			if (status.isOk()) {
				outcome.complete(null);
			}
			else {
				outcome.completeExceptionally(switch (status.getRaftError()) {
					case EPERM -> new NotLeaderException(this.leader.get());
					case EBUSY -> new IllegalStateException("Another change of the members is under way");
					default -> new IOException(failure + ": " + status.getErrorMsg());
				});
			}
		});
		return outcome;
	}

}
