package io.statestore.cli;

import java.util.List;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Command {@code statestore cluster remove}: removes a node. */
@Command(name = "remove", description = "Removes a node. If it leads, leadership moves to another node first.")
final class ClusterRemoveCommand extends ClusterChangeCommand {

	@Parameters(index = "0", paramLabel = "<node>", description = "Name or address of the node")
	private String node = "";

	@Override
	ClusterRequest request() {
		return ClusterRequest.of(Action.REMOVE, this.node);
	}

	@Override
	boolean isMade(List<ClusterNodeState> nodes) {
		return !nodes.isEmpty() && nodes.stream().noneMatch((state) -> state.isMeantBy(this.node));
	}

	@Override
	String nextStep() {
		return "Stop node " + this.node + ", and remove it from --peers of the others before their next start";
	}

}
