@echo off
rem The command repartee on Windows, with the java in JAVA_HOME or on the PATH. It has to be 17 or newer.
rem Options for the JVM: set REPARTEE_OPTS=-Xmx256m
setlocal
set "java=java.exe"
if exist "%JAVA_HOME%\bin\java.exe" set "java=%JAVA_HOME%\bin\java.exe"
rem The options keep messages of the JVM off standard output.
"%java%" -Xlog:disable -Xlog:all=warning:stderr -XX:+DisplayVMOutputToStderr %REPARTEE_OPTS% ^
  -jar "%~dp0..\lib\repartee.jar" %*
exit /b %ERRORLEVEL%
