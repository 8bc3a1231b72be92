package io.statestore.testing.boot;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Listener that resets the store before the methods of tests with
 * {@link EmbeddedStateStore}, and before their {@code @BeforeEach} methods.
 */
class EmbeddedStateStoreTestExecutionListener extends AbstractTestExecutionListener {

	/** After the injection of dependencies, which starts the context. */
	private static final int ORDER = 2_500;

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void prepareTestInstance(TestContext test) {
		if (find(test) != null) {
			content(test, EmbeddedContent::contextStarted);
		}
	}

	@Override
	public void beforeTestMethod(TestContext test) {
		if (resets(test)) {
			content(test, (content) -> content.reset(test.getTestInstance()));
		}
	}

	@Override
	public void afterTestMethod(TestContext test) {
		if (resets(test)) {
			content(test, (content) -> content.ended(test.getTestInstance()));
		}
	}

	private static boolean resets(TestContext test) {
		EmbeddedStateStore annotation = find(test);
		return annotation != null && annotation.reset();
	}

	private static @Nullable EmbeddedStateStore find(TestContext test) {
		return TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), EmbeddedStateStore.class);
	}

	private static void content(TestContext test, Consumer<EmbeddedContent> action) {
		action.accept(test.getApplicationContext().getBean(EmbeddedContent.class));
	}

}
