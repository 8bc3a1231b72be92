package io.statestore.sample.press;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Ends this process when the control room that started it has ended, even by a kill. */
@Component
@ConditionalOnProperty("sample.room-pid")
public class EndWithRoom {

	EndWithRoom(@Value("${sample.room-pid}") long pid) {
		ProcessHandle.of(pid).ifPresentOrElse((room) -> room.onExit().thenRun(EndWithRoom::end), EndWithRoom::end);
	}

	private static void end() {
		Runtime.getRuntime().halt(0);
	}

}
