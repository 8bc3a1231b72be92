package io.statestore.client;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.leader.LeaderOnlyAnnotationBeanPostProcessor;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.awaitility.Awaitility.await;

/** Runs the snippets on leader election in {@code docs/locks.md}. */
@Timeout(60)
class LeaderElectionDocumentationTests {

	@Test
	void everySnippetRuns() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				TestClient client = new TestClient(broker.port()).start();
				AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			StateStoreTemplate template = client.template;
			StateStoreLockRegistry registry = new StateStoreLockRegistry(template);
			context.registerBean(StateStoreLockRegistry.class, () -> registry);
			context.registerBean(StateStoreLeaderInitiator.class,
					() -> new StateStoreLeaderInitiator(registry.obtain("oven-leader"), new Baker()));
			context.register(LeaderOnlyAnnotationBeanPostProcessor.class, Planner.class);
			context.refresh();
			await("the plan").until(() -> template.get("ovens/plan", String.class).isPresent());
			context.getBean(Planner.class).plan();
			context.getBean(StateStoreLeaderInitiator.class).stop();

			StateStoreLockRegistry locks = new StateStoreLockRegistry(template);
			StateStoreLeaderInitiator election = new StateStoreLeaderInitiator(locks.obtain("oven-leader"),
					new Baker());
			election.setApplicationEventPublisher(context);
			election.start();
			election.stop();
		}
	}

}
