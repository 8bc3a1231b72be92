package io.statestore.client;

import java.io.IOException;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.leader.LeaderContext;
import io.statestore.client.leader.LeaderOnlyAnnotationBeanPostProcessor;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.event.OnGrantedEvent;

import static org.awaitility.Awaitility.await;

/** Compiles and runs the snippets in {@code docs/leader-election.md}. */
@Timeout(60)
class LeaderElectionDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(LeaderElectionDocumentationTests.class);

	@Test
	void everySnippetIsTested() throws IOException {
		DocumentedSnippets.assertAllIn("leader-election.md", 5, getClass(), CleanUp.class, Planner.class, Baker.class);
	}

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
			context.register(LeaderOnlyAnnotationBeanPostProcessor.class, Oven.class, CleanUp.class, Planner.class);
			context.refresh();
			await("the plan").until(() -> template.get("ovens/plan", String.class).isPresent());
			context.getBean(CleanUp.class).cleanUp();
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

	static class Oven {

		@EventListener
		void granted(OnGrantedEvent event) {
			FencingToken token = ((LeaderContext) event.getContext()).token();
			logger.info("Leader of {} with token {}", event.getRole(), token);
		}

	}

}
