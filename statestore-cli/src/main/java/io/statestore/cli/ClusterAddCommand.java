package io.statestore.cli;

import java.util.List;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Command {@code statestore cluster add}: adds a node. */
@Command(name = "add",
		description = "Adds a node that was started with --join. It receives the data first, and then " + "votes.")
final class ClusterAddCommand extends ClusterChangeCommand {

	@Parameters(index = "0", paramLabel = "<address>",
			description = "Host and port on which the node listens for other nodes")
	private String address = "";

	@Override
	ClusterRequest request() {
		return ClusterRequest.of(Action.ADD, this.address);
	}

	@Override
	boolean isMade(List<ClusterNodeState> nodes) {
		return runs(nodes, this.address);
	}

	@Override
	String nextStep() {
		return "Add " + this.address + " to --peers of all nodes before their next start";
	}

}
