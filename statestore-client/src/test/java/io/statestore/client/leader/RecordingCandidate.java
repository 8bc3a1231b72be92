package io.statestore.client.leader;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;

import static org.awaitility.Awaitility.await;

/** Candidate that records its calls and events in order. */
class RecordingCandidate extends AbstractCandidate {

	static final String ROLE = "oven-leader";

	final List<String> calls = new CopyOnWriteArrayList<>();

	final List<LeaderContext> terms = new CopyOnWriteArrayList<>();

	RecordingCandidate() {
		super(null, ROLE);
	}

	@Override
	public void onGranted(Context context) throws InterruptedException {
		if (context instanceof LeaderContext term) {
			this.terms.add(term);
		}
		this.calls.add("granted");
	}

	@Override
	public void onRevoked(Context context) {
		this.calls.add("revoked");
	}

	/** Returns a publisher that records events among the calls. */
	ApplicationEventPublisher events() {
		return (event) -> {
			if (event instanceof OnGrantedEvent granted) {
				this.calls.add("granted event of " + granted.getRole());
			}
			if (event instanceof OnRevokedEvent revoked) {
				this.calls.add("revoked event of " + revoked.getRole());
			}
		};
	}

	long count(String call) {
		return this.calls.stream().filter(call::equals).count();
	}

	void awaitCalls(String call, int count) {
		await(count + " times '" + call + "' in " + this.calls).until(() -> count(call) >= count);
	}

	LeaderContext term(int number) {
		awaitCalls("granted", number);
		return this.terms.get(number - 1);
	}

}
