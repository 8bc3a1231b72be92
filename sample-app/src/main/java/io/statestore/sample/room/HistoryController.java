package io.statestore.sample.room;

import java.time.Instant;

import io.statestore.client.StateStoreException;
import io.statestore.sample.room.LineHistory.Changes;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The history of a key, and the whole store at a moment. */
@Controller
@RequestMapping("/history")
class HistoryController {

	private final LineHistory history;

	HistoryController(LineHistory history) {
		this.history = history;
	}

	/** Returns the keys to choose from, also those that no longer exist. */
	@GetMapping("/keys")
	String keys(Model model) {
		model.addAttribute("options", this.history.keys().stream().map(KeyOption::of).toList());
		return "history :: options";
	}

	/** Returns the changes of a key, nothing if no key is selected. */
	@GetMapping("/changes")
	String changes(@RequestParam String key, Model model) {
		if (key.isEmpty()) {
			return "history :: none";
		}
		Changes changes = this.history.changes(ReadableText.decode(key));
		model.addAttribute("key", ReadableText.key(ReadableText.decode(key)));
		model.addAttribute("timeline", Timeline.of(changes.latest()));
		model.addAttribute("total", changes.total());
		return "history :: changes";
	}

	/** Returns the store as it was at a time in milliseconds since 1970. */
	@GetMapping("/store")
	String store(@RequestParam double time, Model model) {
		long millis = Math.max(0, Math.min((long) time, 999_999_999_999_999L));
		// A version that is higher than all others of this millisecond.
		String version = millis + ":" + Integer.MAX_VALUE + ":~";
		model.addAttribute("keys", KeyView.of(this.history.storeAt(version)));
		model.addAttribute("moment", Timeline.moment(Instant.ofEpochMilli(millis)));
		return "history :: store";
	}

	@ExceptionHandler(IllegalArgumentException.class)
	ResponseEntity<String> invalid(IllegalArgumentException ex) {
		return RoomController.message(HttpStatus.BAD_REQUEST, ex);
	}

	@ExceptionHandler({ IllegalStateException.class, StateStoreException.class })
	ResponseEntity<String> unavailable(RuntimeException ex) {
		return RoomController.message(HttpStatus.SERVICE_UNAVAILABLE, ex);
	}

	/**
	 * A key to choose.
	 *
	 * @param parameter the key as a request parameter
	 * @param key the key in readable form
	 */
	record KeyOption(String parameter, String key) {

		static KeyOption of(String key) {
			return new KeyOption(ReadableText.encode(key), ReadableText.key(key));
		}

	}

}
