package io.statestore.client.lock.annotation;

import java.util.Map;
import java.util.function.Consumer;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Spring contexts with a {@link Press}. */
final class PressContext {

	private PressContext() {
	}

	/**
	 * Creates a context, which the caller closes.
	 * @param template stores the locks
	 * @param beans registers further beans
	 */
	static AnnotationConfigApplicationContext create(StateStoreTemplate template,
			Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", Map.of("line", "line-1")));
		context.registerBean(LockedAnnotationBeanPostProcessor.class);
		context.registerBean(StateStoreLockRegistry.class, () -> new StateStoreLockRegistry(template));
		context.registerBean(Press.class);
		beans.accept(context);
		context.refresh();
		return context;
	}

}
