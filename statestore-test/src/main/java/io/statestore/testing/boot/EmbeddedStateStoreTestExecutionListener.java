package io.statestore.testing.boot;

import org.jspecify.annotations.Nullable;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Listener that resets the store before each method of tests with
 * {@link EmbeddedStateStore}, and before their {@code @BeforeEach} methods.
 */
class EmbeddedStateStoreTestExecutionListener extends AbstractTestExecutionListener {

	/** After the listener for dependency injection, which starts the context. */
	private static final int ORDER = 2_500;

	/** Attribute with the content used by the running test. */
	private static final String RUNNING = EmbeddedStateStoreTestExecutionListener.class.getName() + ".running";

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void prepareTestInstance(TestContext test) {
		if (find(test) != null) {
			content(test).contextStarted();
		}
	}

	@Override
	public void beforeTestMethod(TestContext test) {
		EmbeddedStateStore annotation = find(test);
		if (annotation != null) {
			EmbeddedContent content = content(test);
			content.begin(annotation.reset());
			test.setAttribute(RUNNING, content);
		}
	}

	@Override
	public void afterTestMethod(TestContext test) {
		// The context may have been closed and must not be started again.
		if (test.removeAttribute(RUNNING) instanceof EmbeddedContent content) {
			content.end();
		}
	}

	private static @Nullable EmbeddedStateStore find(TestContext test) {
		return TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), EmbeddedStateStore.class);
	}

	private static EmbeddedContent content(TestContext test) {
		return test.getApplicationContext().getBean(EmbeddedContent.class);
	}

}
