package io.statestore.sample.room;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;

/** The page and its buttons. */
@Controller
class RoomController {

	private final PageRenderer renderer;

	private final LineControl control;

	RoomController(PageRenderer renderer, LineControl control) {
		this.renderer = renderer;
		this.control = control;
	}

	@GetMapping("/")
	String room(Model model) {
		model.addAllAttributes(this.renderer.model(this.renderer.state()));
		model.addAttribute("minSetpoint", LineControl.MIN_SETPOINT);
		model.addAttribute("maxSetpoint", LineControl.MAX_SETPOINT);
		return "room";
	}

	@PostMapping("/presses/{press}/{action:pause|resume|kill|start|cut}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void press(@PathVariable String press, @PathVariable String action) {
		switch (action) {
			case "pause" -> this.control.pause(press);
			case "resume" -> this.control.resume(press);
			case "kill" -> this.control.kill(press);
			case "start" -> this.control.start(press);
			default -> this.control.cut(press);
		}
	}

	@PostMapping("/leader/resign")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void resign() {
		this.control.resign();
	}

	@PostMapping("/brokers/{broker}/{action:kill|start}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void broker(@PathVariable String broker, @PathVariable String action) {
		if (action.equals("kill")) {
			this.control.killBroker(broker);
		}
		else {
			this.control.startBroker(broker);
		}
	}

	@PostMapping("/broker/restart")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void restartBroker() {
		this.control.restartBroker();
	}

	@PostMapping("/setpoint")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void changeSetpoint(@RequestParam double degrees) {
		this.control.changeSetpoint(degrees);
	}

	@PostMapping("/keys/delete")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void deleteKey(@RequestParam String key) {
		this.control.deleteKey(ReadableText.decode(key));
	}

	@ExceptionHandler(IllegalArgumentException.class)
	ResponseEntity<String> invalid(IllegalArgumentException ex) {
		return message(HttpStatus.BAD_REQUEST, ex);
	}

	@ExceptionHandler({ IllegalStateException.class, StateStoreRefusedException.class })
	ResponseEntity<String> impossible(RuntimeException ex) {
		return message(HttpStatus.CONFLICT, ex);
	}

	@ExceptionHandler(StateStoreException.class)
	ResponseEntity<String> unavailable(StateStoreException ex) {
		return message(HttpStatus.SERVICE_UNAVAILABLE, ex);
	}

	static ResponseEntity<String> message(HttpStatus status, Exception ex) {
		return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).body(String.valueOf(ex.getMessage()));
	}

}
