package io.statestore.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Awaitility defaults for every test run, found by JUnit's service loader.
 * <p>
 * The timeout allows for a machine that also runs other builds. Conditions run on the
 * test's thread, so that they may use objects bound to it. Exceptions on other threads do
 * not end a wait, because some tests provoke them.
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
