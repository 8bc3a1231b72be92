package io.statestore.client;

import io.statestore.client.leader.LeaderContext;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.stereotype.Component;

@Component
class Baker extends AbstractCandidate {

	Baker() {
		super("oven-1", "oven-leader");
	}

	@Override
	public void onGranted(Context context) throws InterruptedException {
		LeaderContext term = (LeaderContext) context;
		while (term.isLeader()) {
			term.operations().set("ovens/plan", "bread");
			Thread.sleep(100);
		}
	}

	@Override
	public void onRevoked(Context context) {
		// Stop what the leader alone does.
	}

}
