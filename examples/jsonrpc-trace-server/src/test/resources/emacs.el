;; Opens the trace $TRACE in Emacs with eglot and the language server $SERVER, uses it, and prints the facts.

(package-initialize)
(require 'eglot)
(require 'flymake)

(defun say (name value)
  (princ (format "%s: %s\n" name (replace-regexp-in-string "[ \n]+" " " value))))

(defun wait-for (what condition)
  (let ((end (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (say "failed" (concat "no " what))
        (kill-emacs 1))
      (accept-process-output nil 0.02))))

(define-derived-mode trace-mode fundamental-mode "Trace")
(add-to-list 'eglot-server-programs (cons 'trace-mode (list (getenv "SERVER"))))
(setq eglot-sync-connect 60 eglot-autoshutdown nil eglot-connect-timeout 60)

(find-file (getenv "TRACE"))
(trace-mode)
(apply #'eglot (eglot--guess-contact))

(wait-for "diagnostics" (lambda () (flymake-diagnostics)))
(dolist (found (sort (flymake-diagnostics)
                     (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b)))))
  (say "diagnostic"
       (format "%d: %s %s" (line-number-at-pos (flymake-diagnostic-beg found))
               (buffer-substring (flymake-diagnostic-beg found) (flymake-diagnostic-end found))
               (flymake-diagnostic-text found))))

;; The response in line 4.
(goto-char (point-min))
(forward-line 3)
(forward-char 40)
(let (hover)
  (eglot-hover-eldoc-function (lambda (text &rest _) (setq hover (substring-no-properties text))))
  (wait-for "hover" (lambda () hover))
  (say "hover" hover))

(call-interactively #'xref-find-definitions)
(wait-for "jump" (lambda () (= (line-number-at-pos) 3)))
(say "definition" (format "%d:%d" (line-number-at-pos) (current-column)))

(dolist (group (eglot-imenu))
  (dolist (symbol (if (consp (cdr group)) (cdr group) (list group)))
    (say "symbol" (car symbol))))

;; An edit that mends the fault in line 7: the diagnostic goes.
(goto-char (point-min))
(search-forward "\"1,2,4\"")
(replace-match "[1,2,4]")
(eglot--signal-textDocument/didChange)
(let ((before (length (flymake-diagnostics))))
  (wait-for "change of the diagnostics"
            (lambda () (= (length (flymake-diagnostics)) (1- before))))
  (say "mended" "1"))

(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server) nil 60)
(say "end" "of the server")
