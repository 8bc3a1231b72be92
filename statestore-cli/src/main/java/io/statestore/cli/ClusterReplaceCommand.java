package io.statestore.cli;

import java.util.List;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Command {@code statestore cluster replace}: replaces a node. */
@Command(name = "replace",
		description = "Replaces a node by one that was started with --join, in one step. Use it for a node that has "
				+ "lost its data, and for one that moves to another machine.")
final class ClusterReplaceCommand extends ClusterChangeCommand {

	@Parameters(index = "0", paramLabel = "<node>", description = "Name or address of the node to remove")
	private String node = "";

	@Parameters(index = "1", arity = "0..1", paramLabel = "<address>",
			description = "Host and port on which the new node listens for other nodes (default: those of the node to "
					+ "remove)")
	private @Nullable String address;

	private String address() {
		return (this.address != null) ? this.address : this.node;
	}

	@Override
	ClusterRequest request() {
		return ClusterRequest.of(Action.REPLACE, this.node, address());
	}

	@Override
	boolean isMade(List<ClusterNodeState> nodes) {
		return runs(nodes, address()) && nodes.stream()
			.filter((state) -> state.isMeantBy(this.node))
			.allMatch((state) -> state.isMeantBy(address()));
	}

	@Override
	String nextStep() {
		return (this.address != null) ? "Stop node " + this.node + ", and name " + this.address
				+ " in its place in --peers of all nodes before their next start" : "";
	}

}
