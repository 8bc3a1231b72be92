package io.statestore.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Default settings of Awaitility in every test run, found by JUnit's service loader.
 * <p>
 * The timeout suits a machine that runs other builds, too. Conditions run on the thread
 * of the test, so that they may use objects bound to it. Exceptions of other threads do
 * not end a wait: some tests provoke them.
 */
public final class AwaitilityDefaults implements LauncherSessionListener {

	private static final Duration TIMEOUT = Duration.ofSeconds(90);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		apply();
	}

	/** Applies the settings in a JVM without JUnit. */
	public static void apply() {
		Awaitility.setDefaultTimeout(TIMEOUT);
		Awaitility.setDefaultPollDelay(Duration.ZERO);
		Awaitility.setDefaultPollInterval(POLL_INTERVAL);
		Awaitility.pollInSameThread();
		Awaitility.doNotCatchUncaughtExceptionsByDefault();
	}

}
