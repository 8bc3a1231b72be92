package io.statestore.cli;

import java.util.List;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Command {@code statestore cluster transfer}: moves leadership. */
@Command(name = "transfer", description = "Moves leadership to a node. Clients have to connect again, once.")
final class ClusterTransferCommand extends ClusterChangeCommand {

	@Parameters(index = "0", paramLabel = "<node>", description = "Name or address of the node that is to lead")
	private String node = "";

	@Override
	ClusterRequest request() {
		return ClusterRequest.of(Action.TRANSFER, this.node);
	}

	@Override
	boolean isMade(List<ClusterNodeState> nodes) {
		return nodes.stream().anyMatch((state) -> state.role() == Role.LEADER && state.isMeantBy(this.node));
	}

}
